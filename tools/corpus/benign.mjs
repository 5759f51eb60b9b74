// Fragments of everyday traffic in eight languages, written by hand. Generated requests mix them.
export const languages = {
  en: {
    names: ["Siobhán O'Brien", "Kevin D'Souza", "Anne-Marie O'Neil", "J. R. Smith", "Zoë van der Berg", "Mary \"Molly\" Jones", "Dr. Union Jackson", "Drew Barrymore-Select"],
    searches: ["winter jacket size 42", "how to select a laptop", "rock & roll hits of the 60's", "union square hotel", "drop shipping from china", "order by phone number", "c++ vs c#", "price < 50", "tom & jerry <3", "script font free", "table lamp 40w", "where to eat & drink in rome", "what's 7*7", "like father like son", "50% off coupon", "and then there were none", "sleep tracker", "john's bike; red", "cats or dogs", "1 or 2 bedrooms", "iphone 13 case -leather", "alert button for seniors", "system of a down", "group by design studio", "php jobs", "lord of the rings: the two towers", "java 17 download", "who is \"the boss\"?", "delete account", "ascii table"],
    sentences: ["I can't find the delete button, where is it?", "Please select one option from the list and update your profile.", "It's a shame that the shop closes at 6; we'd have come earlier.", "The union and the company agreed on a new table of wages.", "We'll drop the box at your door or at the neighbour's.", "My order from last week hasn't arrived -- can you check?", "He said: \"If you don't like it, don't buy it!\"", "Is the price in $ or in €? I'd prefer € (VAT incl.).", "Temperatures between 5 and 10 °C, wind < 20 km/h.", "See chapter 3 (page 42) or ask John; he knows.", "Insert the card into the slot, then wait 10 seconds.", "That's 3 > 2, isn't it? And 1=1 of course.", "You need to run the script twice; the first time it only creates the folder.", "Let's grant access to everybody on the team & close the ticket.", "Thanks!!! 10/10 would order again :-) <3", "Where is the file? I looked in the shared folder and in /projects/2026.", "The system will execute your request as soon as possible.", "Could someone explain why the query is so slow?"] },
  de: {
    names: ["Jürgen Müller", "Käthe Groß", "Björn O'Hara", "Dr. h.c. Straßer", "Anna-Lena Weiß"],
    searches: ["münchen fahrplan", "größe 42 schuhe", "50% rabatt auf möbel", "was heißt \"select\"", "kaffee & kuchen", "günstige flüge nach köln", "stühle für balkon", "öffnungszeiten späti", "wie geht's weiter", "haus oder wohnung", "bücher unter 10 €", "käse-spätzle rezept"],
    sentences: ["Können Sie mir sagen, wann die Lieferung kommt?", "Ich hätte gern einen Termin am 24.12. oder danach.", "Das geht's so nicht; bitte löschen Sie mein Konto.", "Bitte wählen Sie eine Option aus der Tabelle aus.", "Der Preis beträgt 1.234,56 € inkl. 19 % MwSt.", "Er sagte: „Das ist nicht mein Problem\" -- und ging.", "Die Datei liegt unter C:\\Projekte\\2026\\Angebot.docx.", "Grüße aus Österreich & bis bald!", "Das Skript läuft jede Nacht um 3 Uhr."] },
  fr: {
    names: ["Éloïse d'Artagnan", "Jean-François L'Hôpital", "Zoé D'Amico", "Noël N'Diaye"],
    searches: ["l'été d'or", "café crème", "d'où vient l'expression", "hôtel à côté de l'opéra", "recette crêpes < 30 min", "j'ai perdu l'accès", "livre d'occasion", "chaussures d'été 38", "c'est quoi un script", "pain au chocolat ou chocolatine"],
    sentences: ["Je n'ai pas reçu ma commande d'hier, qu'est-ce qui s'est passé ?", "L'article n'est plus disponible ; j'en voudrais un autre.", "Merci d'avance pour l'aide -- c'est très urgent !", "Aujourd'hui l'entrée est gratuite jusqu'à 18 h.", "Il s'agit d'une erreur dans l'adresse d'expédition.", "Le prix est de 1 234,56 € (TVA incluse).", "Qu'il s'agisse de l'un ou de l'autre, d'accord.", "J'ai lu « L'Étranger » d'Albert Camus."] },
  es: {
    names: ["José Ñúñez", "María D'Ors", "Íñigo Ibáñez"],
    searches: ["zapatos de cuero", "¿qué es sql?", "niños y niñas", "hotel en málaga", "cómo unir tablas en excel", "camisa talla m", "tortilla o paella", "música de los 80's"],
    sentences: ["¿Dónde está mi pedido? Lo hice el 3/4 y aún no llega.", "Quiero cambiar la dirección: C/ Mayor, nº 5; 28013 Madrid.", "¡Gracias por todo! Volveré a comprar.", "La unión de los trabajadores seleccionó a su delegado.", "No me funciona el botón de \"enviar\".", "El precio era 25,50 € y ahora es 30 €."] },
  it: {
    names: ["Giuseppe D'Angelo", "Niccolò Dell'Acqua", "Chiara L'Abbate"],
    searches: ["l'amica geniale", "un'estate al mare", "perché il cielo è blu", "scarpe da donna n° 37", "com'è il tempo a roma", "ricetta dell'arrabbiata"],
    sentences: ["Non riesco ad accedere all'account, cos'è successo?", "Dov'è l'ordine dell'altro ieri?", "Vorrei un tavolo per 4 all'aperto, se c'è posto.", "L'importo è di € 1.200,00; l'IVA è inclusa.", "Va bene cosi' -- grazie dell'aiuto!", "E' possibile scegliere un'altra taglia?"] },
  pt: {
    names: ["João d'Ávila", "Conceição Gonçalves", "Antônio Sant'Anna"],
    searches: ["maçã verde", "caixa d'água 500 l", "pão de queijo receita", "promoção 50%", "seleção brasileira", "união europeia"],
    sentences: ["Não consigo entrar na minha conta; o que faço?", "O copo d'água caiu em cima do teclado.", "Obrigado! A entrega foi rápida & bem feita.", "Selecione uma opção da tabela e clique em enviar.", "O valor é R$ 1.234,56 ou 3x sem juros."] },
  ru: {
    names: ["Иван Петров", "Мария О'Коннор", "Наталья Щукина"],
    searches: ["книги для детей", "купить билет", "погода в москве", "как выучить sql", "чай или кофе", "кроссовки 42"],
    sentences: ["Где мой заказ? Прошло уже 5 дней.", "Не могу войти в аккаунт; помогите, пожалуйста.", "Цена 1 234,56 ₽, скидка 10 %.", "Спасибо! Всё пришло вовремя :)", "Он сказал: «Я приду завтра» -- и не пришёл."] },
  ja: {
    names: ["山田太郎", "佐藤 花子", "オブライエン・ジョン"],
    searches: ["ラーメン 東京", "冬のコート メンズ", "SQL 入門 本", "京都 ホテル 安い", "レシピ カレー", "電車 時刻表"],
    sentences: ["注文した商品がまだ届きません。確認をお願いします。", "価格は￥1,234（税込）です。", "「はい」または「いいえ」を選択してください。", "ありがとうございました！また買います。", "テーブルを更新してから、もう一度お試しください。", "全角の記号＜＞＆％もそのまま使えます。"] },
};

// Code and prose about code, as pasted into forums, tickets and wikis.
export const snippets = [
  "SELECT name, price FROM products WHERE price < 100 ORDER BY price DESC LIMIT 10;",
  "To join two tables use:\nSELECT o.id, c.name\nFROM orders o\nJOIN customers c ON c.id = o.customer_id\nWHERE o.total > 50;",
  "A UNION removes duplicates:\n  SELECT city FROM customers\n  UNION\n  SELECT city FROM suppliers\n  ORDER BY city;",
  "INSERT INTO users (name, email) VALUES ('Ann', 'ann@example.org');",
  "UPDATE products SET price = price * 1.1 WHERE category = 'books';",
  "CREATE TABLE cats (\n  id INTEGER PRIMARY KEY,\n  name TEXT NOT NULL -- the cat's name\n);",
  "Use GROUP BY with HAVING COUNT(*) > 1 to find duplicates.",
  "DELETE FROM sessions WHERE expires < NOW();  -- run nightly",
  "EXPLAIN ANALYZE SELECT * FROM events WHERE created_at > '2026-01-01' AND kind = 'click';",
  "How do I select the first row of each group? I tried GROUP BY but it doesn't work.",
  "const total = items.filter(i => i.price > 10).reduce((a, b) => a + b.price, 0);\nconsole.log(`total: ${total}`);",
  "function greet(name) {\n  return 'Hello, ' + name + '!';\n}\ngreet(\"Bob\");",
  "document.getElementById('menu').addEventListener('click', () => menu.classList.toggle('open'));",
  "import os\nimport sys\n\ndef main():\n    print(sys.argv[1:])\n\nif __name__ == '__main__':\n    main()",
  "for i in range(10):\n    print(f\"{i}: {i * i}\")",
  "with open('data.csv', newline='') as f:\n    rows = list(csv.reader(f))",
  "public static void main(String[] args) {\n    System.out.println(\"Hello, world\");\n}",
  "List<String> names = people.stream().map(Person::getName).collect(Collectors.toList());",
  "#include <stdio.h>\n\nint main(void)\n{\n    printf(\"%d\\n\", 42);\n    return 0;\n}",
  "if (a < b && c > d) { x = a[i] | 0xff; } // bit tricks",
  "git commit -m \"fix: don't crash on empty input\" && git push origin main",
  "npm install --save-dev typescript && npx tsc --init",
  "sudo apt update && sudo apt install nginx",
  "docker run --rm -it -p 8080:80 -v $PWD/site:/usr/share/nginx/html nginx",
  "$ ls -la\ntotal 12\ndrwxr-xr-x 2 ann ann 4096 Mar  3 10:15 .\n-rw-r--r-- 1 ann ann  220 Mar  3 10:15 notes.txt",
  "server {\n  listen 443 ssl;\n  server_name example.org;\n  root /var/www/html;\n  location /api/ { proxy_pass http://backend:8000/; }\n}",
  "[mysqld]\nmax_connections = 200\nslow_query_log = 1",
  "version: '3.8'\nservices:\n  web:\n    image: nginx:1.25\n    ports: ['80:80']\n    environment:\n      - TZ=Europe/Zurich",
  "<div class=\"card\"><h2>Title</h2><p>Some <em>nice</em> text.</p></div>",
  "body { font-family: 'Inter', sans-serif; margin: 0 auto; width: calc(100% - 2rem); }",
  "The regex ^[a-z0-9._%+-]+@[a-z0-9.-]+\\.[a-z]{2,}$ matches most addresses.",
  "{\"error\": {\"code\": 404, \"message\": \"User 'bob' not found\"}}",
  "Exception in thread \"main\" java.lang.NullPointerException: Cannot invoke \"String.length()\" because \"s\" is null\n\tat org.example.App.main(App.java:12)",
  "Traceback (most recent call last):\n  File \"/app/views.py\", line 31, in index\n    user = User.objects.get(id=pk)\nUser.DoesNotExist: User matching query does not exist.",
  "2026-03-12 08:14:02,113 ERROR [http-nio-8080-exec-5] c.e.shop.CartService - could not update cart 1842: timeout after 3000 ms",
  "Mar 12 08:14:02 web1 nginx[812]: 192.0.2.17 - - \"GET /index.html HTTP/1.1\" 200 612 \"-\" \"curl/8.5.0\"",
  "kernel: usb 1-1: new high-speed USB device number 5 using xhci_hcd",
  "FATAL: password authentication failed for user \"app\" (10.0.3.17:51234)",
  "PHP Warning: Undefined variable $total in /srv/shop/cart.php on line 88",
  "Uncaught TypeError: Cannot read properties of undefined (reading 'map')\n    at List (app.js:214:19)",
  "error: failed to push some refs to 'git@example.org:team/app.git'\nhint: Updates were rejected because the remote contains work that you do not have",
  "=IF(A1>10;\"yes\";\"no\") or =SUM(B2:B10)*1.19",
  "LaTeX: \\frac{a}{b} + \\sqrt{x^2 + y^2} \\leq \\alpha",
  "x = (-b ± sqrt(b^2 - 4ac)) / 2a",
  "```js\nconst x = await fetch('/api/items');\n```\nThis returns a promise, so don't forget `await`.",
  "# Heading\n\n* item one\n* item *two*\n\n> quoted text\n\n[a link](https://example.org/page?id=1&lang=en) and ![image](https://cdn.example.org/a.png)",
  "| Column | Type |\n| --- | --- |\n| id | int |\n| name | varchar(50) |",
  "Use `git log --oneline | head -5` to see the last commits; `git diff` shows changes.",
  "The file is at ../images/logo.png relative to the page.",
  "Use ./configure --prefix=/usr/local && make && make install",
  "In React: <Button onClick={() => setOpen(true)}>Open</Button>",
  "Vue template: <li v-for=\"item in items\" :key=\"item.id\">{{ item.name }}</li>",
  "Jinja: {% for user in users %}<li>{{ user.name }}</li>{% endfor %}",
  "Handlebars: Hello {{name}}, you have {{count}} new messages.",
  "Shell tip: echo \"$HOME\" prints your home directory.",
  "curl -s https://api.example.org/v1/items?limit=10 -H 'Accept: application/json'",
  "ssh deploy@app.example.org -p 2222",
  "crontab: 0 3 * * * /usr/local/bin/backup.sh",
  "Set PATH=/usr/local/bin:/usr/bin:/bin in your profile.",
];

// HTML as rich text editors send it.
export const markup = [
  "<p>Hello <strong>team</strong>,</p><p>the meeting is at <em>10:30</em>.</p>",
  "<p>Please see <a href=\"https://example.org/docs?id=12&amp;lang=en\" target=\"_blank\" rel=\"noopener\">the docs</a>.</p>",
  "<ul><li>Milk</li><li>Bread &amp; butter</li></ul>",
  "<h2>News</h2><p style=\"text-align: center;\"><img src=\"https://cdn.example.org/a.jpg\" alt=\"A house\" width=\"640\" height=\"480\"></p>",
  "<blockquote>It's now or never</blockquote><p>-- he said</p>",
  "<table border=\"1\"><tbody><tr><td>Price</td><td>&euro; 12,50</td></tr></tbody></table>",
  "<p><span style=\"color: rgb(255, 0, 0); font-family: Arial;\">Important!</span></p><hr>",
  "<pre><code class=\"language-sql\">SELECT id FROM t WHERE a = 1;</code></pre>",
  "<p>I &lt;3 this &amp; that, isn&#39;t it great?</p><br>",
  "<div><p>Line one<br>Line two</p></div>",
];

export const urls = [
  "https://www.example.org/", "https://shop.example.org/item/42?ref=mail&utm_source=news", "http://example.com:8080/path/to/page.html#top", "https://en.wikipedia.org/wiki/SQL_(programming_language)",
  "https://maps.example.org/?q=47.3769,8.5417&z=12", "https://img.example.org/a%20b.png", "mailto:info@example.org", "https://accounts.example.org/o/oauth2/auth?client_id=abc&redirect_uri=https%3A%2F%2Fapp.example.org%2Fcb&scope=openid%20email",
  "/account/orders?page=2", "https://docs.example.org/en/latest/user/select.html", "https://video.example.org/watch?v=dQw4w9WgXcQ&t=43s", "https://forum.example.org/t/how-to-drop-a-table/1842", "app://settings/privacy", "https://xn--mnchen-3ya.example/",
];

export const agents = [
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15",
  "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36",
  "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
  "curl/8.5.0", "python-requests/2.31.0", "Go-http-client/2.0", "okhttp/4.12.0", "PostmanRuntime/7.36.3", "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", "axios/1.6.7", "Dalvik/2.1.0 (Linux; U; Android 13; SM-A536B Build/TP1A.220624.014)",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:109.0) Gecko/20100101 Thunderbird/115.8.1", "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)", "Java/17.0.9", "Wget/1.21.4", "kube-probe/1.28",
];

export const paths = ["/", "/search", "/index.html", "/products/42", "/blog/2026/03/how-we-test", "/api/v1/items", "/api/v2/users/17/orders", "/wp-login.php", "/wp-content/themes/x/style.css", "/static/js/app.3f2a1b.js", "/images/logo.svg", "/de/kontakt", "/fr/a-propos", "/forum/thread/991-select-vs-poll", "/docs/sql/select.html", "/feed.xml", "/sitemap.xml", "/robots.txt", "/favicon.ico", "/.well-known/security.txt", "/.well-known/acme-challenge/abc123", "/login", "/graphql", "/health", "/download/report-2026-03.pdf", "/user/o'brien", "/tags/c%2B%2B", "/wiki/Proc_(disambiguation)", "/node/17/edit", "/cart/checkout/step-2", "/admin/users", "/config", "/backup-your-photos", "/git-tutorial", "/environment", "/shells-and-fossils", "/help/phpmyadmin-guide"];

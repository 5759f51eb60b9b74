"""Every text in the tables of docs/injection.md is missed or flagged as the page says."""
import os
import pathlib
import re
import subprocess
import sys

page = (pathlib.Path(os.environ["HOTGATE_SOURCE"]) / "docs" / "injection.md").read_text()
hotgate = pathlib.Path(os.environ["HOTGATE_BUILD"]) / "hotgate"
flagged, rows, wrong = False, 0, []
for line in page.splitlines():
    if line in ("Missed:", "Wrongly flagged:"):
        flagged = line == "Wrongly flagged:"
    row = re.fullmatch(r"\| (sqli|xss) \| `(.*?)` \| .* \|", line)
    if row is None:
        continue
    rows += 1
    detector, text = row.groups()
    shown = subprocess.run([hotgate, "explain", "--" + detector, text], capture_output=True, text=True, check=True)
    if shown.stdout.splitlines()[-1].startswith("verdict: benign") == flagged:
        wrong.append(line)
print(rows, "texts", *["not so: " + line for line in wrong], sep="\n")
sys.exit(bool(wrong) or rows < 30)

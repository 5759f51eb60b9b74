# The runner counts cases, names those that fail, and takes what it does not know for a failure.
set -u
run="$HOTGATE_BUILD/tests/conformance"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
status=0

# expect STATUS TEXT ARGUMENT...: the runner's exit status, and a text that its output must hold
expect() {
    local wanted=$1 text=$2 output got
    shift 2
    output=$("$run" "$@" 2>&1)
    got=$?
    if [ "$got" != "$wanted" ] || [[ $output != *"$text"* ]]; then
        echo "conformance $*: status $got, not $wanted, or no '$text' in: $output"
        status=1
    fi
}

printf 'id\tinput\tsqli\tfingerprint\na\t"1 or 1=1"\t1\t1&1\nb\t"hello"\t0\t\n' > "$folder/any.name"
printf 'id\tinput\tsqli\tfingerprint\nright\t"x"\t0\t\nwrong\t"1 or 1=1"\t0\t\n' > "$folder/failing"
printf 'id\tinput\tsqli\tfingerprint\nshort\t"x"\n' > "$folder/short"
printf 'strange\tcolumns\n1\t2\n' > "$folder/strange"

expect 0 '2 passed, 0 failed' injection "$folder/any.name"
expect 1 '1 passed, 1 failed' injection "$folder/failing"
expect 1 "wrong: verdict '1', not '0'" injection "$folder/failing"
expect 1 'another number of columns' injection "$folder/short"
expect 1 'no format of kind injection' injection "$folder/strange"
expect 1 'does not exist' injection "$folder/nothing"
expect 1 '3 passed, 3 failed' injection "$folder"
expect 2 'usage' no-such-kind "$folder"
expect 2 'usage' injection

# A description lying among the cases is none of them; one that is named is.
mkdir "$folder/set"
cp "$folder/any.name" "$folder/set"
echo '# What these cases are' > "$folder/set/README"
expect 0 '2 passed, 0 failed' injection "$folder/set"
expect 1 'no format' injection "$folder/set/README"
exit $status

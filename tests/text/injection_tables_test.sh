# The committed look-up tables are those that the lists give.
exec python3 "$HOTGATE_SOURCE/tools/injection-tables" --check

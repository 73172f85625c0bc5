#!/bin/sh
# A base backup of a PostgreSQL server whose log is kept by archive.conf: twentyfour-base-backup [FOLDER [KEEP]]
# Each goes into a folder named by its time. Then all but the newest KEEP are removed, and the pieces of the log that none of
# those needs. Runs as the server's own user; twentyfour-base-backup.timer does it every week.
set -eu
umask 077
folder=${1:-/var/backups/twentyfour}
keep=${2:-2}
case $keep in
'' | *[!0-9]* | 0*)
  echo "twentyfour-base-backup: '$keep' is not a number of backups to keep, 1 or more" >&2
  exit 2
  ;;
esac
if [ ! -d "$folder/log" ]; then
  echo "twentyfour-base-backup: there is no folder '$folder/log': deploy/README.md says how the log is kept" >&2
  exit 2
fi

mkdir -p "$folder/base"
exec 9> "$folder/base/lock"
if ! flock --nonblock 9; then
  echo "twentyfour-base-backup: another one is under way" >&2
  exit 1
fi
rm -rf "$folder"/base/*.part # of one that was cut off
new=$folder/base/$(date -u +%Y-%m-%dT%H%M%SZ)
while [ -e "$new" ]; do # of this very second
  sleep 1
  new=$folder/base/$(date -u +%Y-%m-%dT%H%M%SZ)
done
pg_basebackup -D "$new.part" -X none --checkpoint=fast
mv "$new.part" "$new" # it has its name only when it is whole

# Their names sort by their time.
ls -1d "$folder"/base/*Z | sort -r | tail -n "+$((keep + 1))" | while read -r old; do rm -rf "$old"; done
oldest=$(ls -1d "$folder"/base/*Z | sort | head -n 1)
first=$(sed -n 's/^START WAL LOCATION: .* (file \([0-9A-F]*\))$/\1/p' "$oldest/backup_label")
pg_archivecleanup "$folder/log" "$first"
echo "$new is whole; the log is kept from $first on, and with it any moment since $(basename "$oldest")"

#!/bin/sh
# Tests the Worker beside it from the shell: requests, a queue with hours of back-off, a dead letter, an alarm, a crash.
# It needs eddy and curl, takes a second, and ends with 0 if everything is as it should be.
set -eu
cd "$(dirname "$0")"

log=$(mktemp)
eddy dev --time=virtual --ephemeral --port=0 --no-watch >"$log" 2>&1 &
eddy=$!
trap 'kill $eddy; wait $eddy || true; rm -f "$log"' EXIT
url=
until [ "$url" ]; do
  kill -0 $eddy || { cat "$log"; exit 1; }
  sleep 0.1
  url=$(sed -n 's/.*Ready on \(http[^ ]*\).*/\1/p' "$log")
done

get() { curl -sfS "$url$1"; }
api() { curl -sfS -X "$1" -d "${3-}" "$url/cdn-cgi/eddy/api$2"; }
peek() { curl -sfS "$url/cdn-cgi/eddy/api$1"; }
expect() { # what happened, the text that must be in it, the text it is in
  case $3 in *"$2"*) echo "ok: $1" ;; *) echo "FAILED: $1: expected $2, got $3"; exit 1 ;; esac
}

curl -sfS -d hello "$url/ann@example.com" >/dev/null
expect "the mail waits in the queue" '"body":"{\"to\":\"ann@example.com\"' "$(peek /queues/mails/messages)"
api POST /queues/mails/drain >/dev/null
expect "the mail arrives" "1 mails" "$(get /ann@example.com)"

api POST /queues/mails/fail '{"count": 2, "error": "the network"}' >/dev/null
curl -sfS -d again "$url/ann@example.com" >/dev/null
expect "two deliveries fail, and each retry comes an hour later" '"moved_ms":7215000' "$(api POST /queues/mails/drain)"
expect "the third one is good" "2 mails" "$(get /ann@example.com)"

curl -sfS -d lost "$url/nobody" >/dev/null
api POST /queues/mails/drain >/dev/null
expect "a mail without an address is a dead letter" '"last_error":"Error: \"nobody\" is no address"' \
  "$(peek /queues/mails/dead-letters)"

api POST /crash >/dev/null
expect "what is stored outlives a crash" "2 mails" "$(get /ann@example.com)"
api POST /alarms/run >/dev/null
expect "after a day the mails are gone" "0 mails" "$(get /ann@example.com)"

api POST /reset >/dev/null
expect "after a reset nothing is stored" '[]' "$(peek /queues/undelivered/messages)"

#!/bin/sh
# Searches for an order of events in which the Worker beside it loses a mail or counts one twice: two mails come at
# once, in any order, and the Worker may crash at any step. It needs eddy and curl, and ends with 0 if there is none,
# else with 1 after the steps that lead to it. ORDERS is how many are tried, SEED the first.
set -eu
cd "$(dirname "$0")"

log=$(mktemp)
eddy dev --ephemeral --port=0 --no-watch --no-hotkeys >"$log" 2>&1 &
eddy=$!
trap 'kill $eddy; wait $eddy || true; rm -f "$log"' EXIT
url=
until [ "$url" ]; do
  kill -0 $eddy || { cat "$log"; exit 1; }
  sleep 0.1
  url=$(sed -n 's/.*Ready on \(http[^ ]*\).*/\1/p' "$log")
done

api() { curl -sfS -X "$1" -d "${3-}" "$url/cdn-cgi/eddy/api/explore$2"; }
answer() { curl -sfS "$url/cdn-cgi/eddy/api/explore/requests/$1"; }

# scenario prints what is wrong, if anything. Requests have the numbers 1, 2, 3 in the order in which they are sent.
scenario() {
  api POST /requests '{"method": "POST", "url": "/ann@example.com", "body": "hello"}' >/dev/null
  api POST /requests '{"method": "POST", "url": "/ann@example.com", "body": "again"}' >/dev/null
  answer 1 >/dev/null
  answer 2 >/dev/null
  api POST /session/queues/mails/drain >/dev/null
  api POST /requests '{"url": "/ann@example.com"}' >/dev/null
  mails=$(answer 3 | sed 's/.*"body":"\(.*\)\\n".*/\1/')
  [ "$mails" = "2 mails" ] || echo "two mails were sent, and Ann has $mails"
}

now=$(api POST "" "{\"orders\": ${ORDERS:-50}, \"seed\": ${SEED:-1}, \"crash\": true}")
while [ "${now#*running}" != "$now" ]; do
  now=$(api POST /verdict "{\"error\": \"$(scenario)\"}")
done
case $now in
*'"passed"'*) echo "ok: no order of ${ORDERS:-50} loses a mail or counts one twice" ;;
*)
  printf '%s\n' "$now" | sed 's/.*"seed":\([0-9]*\).*"error":"\([^"]*\)".*/FAILED: \2, with SEED=\1:/'
  printf '%b' "$(printf '%s' "$now" | sed 's/.*"steps":"\(.*\)"}.*/\1/')"
  exit 1
  ;;
esac

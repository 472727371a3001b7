#!/bin/sh
# Asks a gateway for private vectors with curl, until the budget is spent.
set -eu

url=${SOTTO_URL:-http://127.0.0.1:8787}
user=${SOTTO_USER:-example}

# ask sends a request; its answer is in $answer and its status in $status.
ask() {
	answer=$(curl -sS -w '\n%{http_code}' "$url/v1/embeddings" -H 'Content-Type: application/json' \
		-H "Authorization: Bearer ${SOTTO_KEY:-unused}" -d "$1")
	status=${answer##*
}
	answer=${answer%?"$status"}
}

# field prints a field of $answer, by its name, that is a number or a word.
field() {
	printf '%s' "$answer" | grep -o "\"$1\":\"\\{0,1\\}[^\",}]*" | head -n 1 | sed 's/.*://; s/"//'
}

ask "{\"model\": \"sotto\", \"input\": \"I feel unwell today\", \"user\": \"$user\"}"
if [ "$status" != 200 ]; then
	echo "the gateway answered with status $status: $answer" >&2
	exit 1
fi
width=$(printf '%s' "$answer" | sed 's/.*"embedding":\[\([^]]*\)\].*/\1/' | tr ',' '\n' | grep -c .)
# The parameters have an epsilon, too. What is promised stands behind its unit.
epsilon=$(printf '%s' "$answer" | grep -o '"unit":"[a-z]*","epsilon":[^,]*' | head -n 1 | sed 's/.*://')
echo "a vector of $width numbers, epsilon $epsilon for each $(field unit) by $(field mechanism); it cost $(field cost), and $(field left) is left"

# A private vector has the width of its mechanism. Another is refused, and not cut.
ask "{\"model\": \"sotto\", \"input\": \"I feel unwell today\", \"user\": \"$user\", \"dimensions\": $width}"
echo "the same text again, with dimensions $width: status $status, it cost $(field cost)"
ask "{\"model\": \"sotto\", \"input\": \"I feel unwell today\", \"user\": \"$user\", \"dimensions\": 7}"
echo "with dimensions 7: status $status, $(field code)"

# Every new text is paid for, until the budget is spent.
for day in $(seq 1000); do
	ask "{\"model\": \"sotto\", \"input\": \"On day $day I felt better\", \"user\": \"$user\"}"
	[ "$status" = 200 ] || break
done
echo "text $day was refused: status $status, $(field code), asked for $(field asked) with $(field left) left"
[ "$status" = 403 ] && [ "$(field code)" = over_budget ]

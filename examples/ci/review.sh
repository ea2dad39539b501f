#!/bin/sh
# Reports what a pull request changes, and fails if a bot changes more than it may.
#
#   review.sh BASE REPORT [BOT]
#
# BASE is the branch to merge into and REPORT the file for the comment, in Markdown. BOT is not empty
# if a bot made the change: the file $MAY_CHANGE of the repository lists the values that it may set.
#
# In a GitHub workflow:
#
#   - uses: actions/checkout@v4
#     with: {fetch-depth: 0}
#   - run: examples/ci/review.sh origin/$GITHUB_BASE_REF "$GITHUB_STEP_SUMMARY" "$BOT"
#     env: {BOT: "${{ github.actor == 'image-bot[bot]' && github.actor || '' }}"}
#
# In a GitLab job: examples/ci/review.sh "$CI_MERGE_REQUEST_DIFF_BASE_SHA" review.md
set -eu
base=$1 report=$2 bot=${3-} list=${MAY_CHANGE:-examples/ci/may-change}

fctl review -o markdown "$base...HEAD" >"$report"
if [ -n "$bot" ]; then
	# The list is that of the branch to merge into: a change must not allow itself.
	allowed=$(mktemp)
	trap 'rm -f "$allowed"' EXIT
	git show "$base:$list" >"$allowed"
	fctl review --allow "file:$allowed" --verify "$base...HEAD"
fi

#!/bin/sh
# Runs mind-hook for the event on standard input. With the argument "hint", it tells the user if the
# program is missing. Always exits with 0: Claude Code reports a failing hook at every tool call.

say() {
  [ "$hint" = hint ] && printf '{"systemMessage": "%s"}\n' "$1"
  exit 0
}

hint=$1
project=${CLAUDE_PROJECT_DIR:-.}

# Hooks registered in the settings (`mind init --hooks`) run from there and must not run twice.
if grep -qs '"command":.*mind-hook' "$project/.claude/settings.json" \
  "$project/.claude/settings.local.json" "${CLAUDE_CONFIG_DIR:-$HOME/.claude}/settings.json"; then
  exit 0
fi
if ! command -v mind-hook >/dev/null 2>&1; then
  say "Mind's plugin is installed, but the program is not on PATH, so the memory is neither read nor written. Run \`pipx install mind-lens\` (or \`uv tool install mind-lens\`) and restart Claude Code; it retries a server that did not start after 15 minutes. To disable the plugin: \`claude plugin disable mind\`."
fi
mind-hook || say "Mind's plugin cannot run mind-hook. Run \`mind doctor\` to find out why; \`pipx reinstall mind-lens\` fixes most causes."
exit 0

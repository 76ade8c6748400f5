#!/bin/sh
# Runs mind-hook for the event on standard input; "hint" as the argument tells the person what is
# missing. It always ends with 0: a hook that fails is reported by Claude Code at every tool call.

say() {
  [ "$hint" = hint ] && printf '{"systemMessage": "%s"}\n' "$1"
  exit 0
}

hint=$1
project=${CLAUDE_PROJECT_DIR:-.}

# Hooks that the settings name themselves (`mind init --hooks`) run there; they must not run twice.
if grep -qs '"command":.*mind-hook' "$project/.claude/settings.json" \
  "$project/.claude/settings.local.json" "${CLAUDE_CONFIG_DIR:-$HOME/.claude}/settings.json"; then
  exit 0
fi
if ! command -v mind-hook >/dev/null 2>&1; then
  say "Mind's plugin is installed, but the program is not on PATH: the memory is neither read nor kept. Run \`pipx install mind-lens\` (or \`uv tool install mind-lens\`) and start Claude Code again; it tries a server that did not start once more after 15 minutes. Or: \`claude plugin disable mind\`."
fi
mind-hook || say "Mind's plugin cannot run mind-hook. \`mind doctor\` says why; \`pipx reinstall mind-lens\` mends most of it."
exit 0

"""Mind seen from outside: a sample repository, a clock, and transcripts of what Mind answers.

Nothing here imports a module of Mind but ``mind.__main__``, so that transcripts outlive every
change behind the commands, tools and resources. CONTRIBUTING.md says how to rewrite them.
"""

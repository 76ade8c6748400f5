"""Functions on text: words, dates, languages, credentials, similarity."""

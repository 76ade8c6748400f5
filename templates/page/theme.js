// Runs before the first paint, so that a chosen theme does not flicker.
try {
  const chosen = localStorage.getItem("mind.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // storage is disabled: use the system theme
}

// Before anything is drawn: the theme that was chosen, if one was.
try {
  const chosen = localStorage.getItem("mind.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // storage is switched off: the system's theme holds
}

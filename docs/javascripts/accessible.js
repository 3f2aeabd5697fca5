/* Tables that scroll can be reached by keyboard, and each block's row of buttons has a name of its own. */
const name = () => {
  document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])").forEach((wrap) => {
    if (wrap.scrollWidth > wrap.clientWidth) wrap.setAttribute("tabindex", "0")
  })
  document.querySelectorAll(".md-search[role=dialog]:not([aria-label])").forEach((box) => box.setAttribute("aria-label", "Search"))
  document.querySelectorAll("nav.md-code__nav:not([aria-label])").forEach((row, k) => {
    row.setAttribute("aria-label", `Code ${document.querySelectorAll("nav.md-code__nav[aria-label]").length + 1}`)
  })
}
new MutationObserver(name).observe(document.documentElement, { childList: true, subtree: true })
addEventListener("load", name)
addEventListener("resize", name)

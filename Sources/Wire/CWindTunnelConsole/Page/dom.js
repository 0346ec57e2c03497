// Elements made by script. Text goes in as text: no string ever becomes markup here.

const SVG = "http://www.w3.org/2000/svg"

/**
 * A new element with its properties and children.
 *
 * `class`, `role`, `aria-…`, `data-…` and every other plain name become attributes; a name that
 * begins with `on` becomes a listener. A value of null, undefined or false leaves it out.
 * Children are elements or texts; null and false are left out.
 */
export function element(name, properties = {}, ...children) {
  return filled(document.createElement(name), properties, children)
}

/** The same for an element of SVG. */
export function shape(name, properties = {}, ...children) {
  return filled(document.createElementNS(SVG, name), properties, children)
}

function filled(made, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value)
    else made.setAttribute(name, value === true ? "" : value)
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false))
  return made
}

/** The element of the page with an id. */
export const byId = (id) => document.getElementById(id)

/** Sets a text only where it is another: a live region speaks, and layout is made, for each set. */
export function setText(target, text) {
  if (target.textContent !== text) target.textContent = text
}

/** Lets `work` run once in the next frame, however often the result is called before. */
export function oncePerFrame(work) {
  let isAsked = false
  return () => {
    if (isAsked) return
    isAsked = true
    requestAnimationFrame(() => {
      isAsked = false
      work()
    })
  }
}

/**
 * Makes a column of buttons one stop of the Tab key; arrows, Home and End move within it.
 * See the ARIA Authoring Practices, "Managing focus within components using a roving tabindex".
 */
export function roving(column) {
  const buttons = () => [...column.querySelectorAll("button:not([disabled], [hidden])")]
  const settle = (chosen) => {
    for (const button of buttons()) button.tabIndex = button === chosen ? 0 : -1
  }
  column.addEventListener("focusin", (event) => settle(event.target.closest("button")))
  column.addEventListener("keydown", (event) => {
    const all = buttons()
    const at = all.indexOf(document.activeElement)
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key]
    if (at < 0 || next === undefined) return
    event.preventDefault()
    all[Math.min(Math.max(next, 0), all.length - 1)].focus()
  })
  return { settle }
}

/** What the browser keeps of a person's choices. */

/** The choice that is kept under the name, where it is an allowed one. */
export const readStored = <A extends string>(name: string, allowed: ReadonlyArray<A>, otherwise: A): A => {
  try {
    return allowed.find((one) => one === localStorage.getItem(name)) ?? otherwise
  } catch {
    return otherwise
  }
}

export const keep = (name: string, value: string, otherwise: string): void => {
  try {
    if (value === otherwise) localStorage.removeItem(name)
    else localStorage.setItem(name, value)
  } catch {
    // Storage may be switched off. The choice then lasts as long as the page.
  }
}

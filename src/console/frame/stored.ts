/** What the browser keeps of a person's choices. */

/** Reads the choice that is stored in the browser under a name, if it is an allowed one. */
export const readStored = <A extends string>(name: string, allowed: ReadonlyArray<A>, otherwise: A): A => {
  try {
    return allowed.find((one) => one === localStorage.getItem(name)) ?? otherwise
  } catch {
    return otherwise
  }
}

export const storeChoice = (name: string, value: string, otherwise: string): void => {
  try {
    if (value === otherwise) localStorage.removeItem(name)
    else localStorage.setItem(name, value)
  } catch {
    // Storage may be switched off. The choice then lasts as long as the page.
  }
}

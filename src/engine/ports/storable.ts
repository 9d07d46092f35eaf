/** Whether every store keeps a text as it is: no NUL, no half of a surrogate pair. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\u0000")

/** Whether every store keeps a text unchanged: it contains no NUL and no unpaired surrogate. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\u0000")

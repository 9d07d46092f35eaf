/** The order of two texts by their UTF-16 code units: negative if `a` comes first. For days and ids, which are ASCII. */
export const compareCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

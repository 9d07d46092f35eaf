/** The Node that the engine and the server run on. */

/** The lowest version. A test holds it to `engines` of `package.json`. */
export const nodeMinimum = "22.19.0"

/** Says why a version of Node is not enough, as a sentence; `undefined` if it is. */
export const findNodeFault = (version: string): string | undefined => {
  const isEnough = version.localeCompare(nodeMinimum, "en", { numeric: true }) >= 0
  return isEnough ? undefined : `Node ${nodeMinimum} or later is required; this is ${version}.`
}

/** The build has each entry of the package that needs a new Node import this before all else: an older one fails later, less clearly. */
import { findNodeFault } from "./node-version.ts"

const fault = findNodeFault(process.versions.node)
if (fault !== undefined) {
  const error = new Error(`corridor: ${fault}`)
  // One line: the stack has nothing of the caller.
  error.stack = error.message
  throw error
}

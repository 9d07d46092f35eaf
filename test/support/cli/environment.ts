/** All that a process of a test has of this one's environment: where commands are, and the code that earlier processes compiled. */
export const bare: Readonly<Record<string, string | undefined>> = {
  PATH: process.env["PATH"],
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"]
}

/** The case could not be run to its end, for a reason that is not the connector's: a limit, or a command that failed. */
export class CannotRun extends Error {}

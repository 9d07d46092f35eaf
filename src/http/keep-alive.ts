/**
 * How long a connection is kept without a request, in seconds, if it is not set: longer than most load balancers keep theirs (60 to 120 s).
 * Who reuses a connection must be who closes it. Otherwise a request meets a closed connection, and its outcome is unknown.
 */
export const keepAliveSeconds = 130

/** How long a peer may take to read a response, in seconds, if it is not set. */
export const sendSeconds = 120

/**
 * The requests of a connection, one at a time: the next one begins when the response to the one before has been sent (RFC 9112,
 * 9.3.2). A peer that sends many requests and reads no response therefore costs one response, whatever it asks for.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"

interface Entry {
  /** `undefined`: bytes that are no request. */
  readonly request: IncomingMessage | undefined
  readonly begin: () => void
}

/** How long requests may begin, in milliseconds, before the event loop goes round. It accepts one connection in a round. */
const shareMs = 5

/** What waits for the next round of the event loop. Probes are before the others; each have a share of the round. */
const waiting = { probes: [] as Array<() => void>, others: [] as Array<() => void> }
/** When the first request of this round began. */
let began: number | undefined

/** Begins what waits, in order: at least one, and no more than was there. */
const share = (queue: Array<() => void>): void => {
  const until = performance.now() + shareMs
  for (let left = queue.length; left > 0; left--) {
    queue.shift()!()
    if (performance.now() >= until) return
  }
}

const nextRound = (): void => {
  began = performance.now()
  try {
    share(waiting.probes)
    share(waiting.others)
  } finally {
    // Also after a defect: the process may go on, and what waits must not wait for ever.
    if (waiting.probes.length + waiting.others.length > 0) setImmediate(nextRound)
    else began = undefined
  }
}

/** Who asks for the health wants to know whether the process responds, and not how many requests wait. */
const isProbe = ({ url = "" }: IncomingMessage): boolean => url.startsWith("/health/")

/**
 * Begins a request, at once or in one of the next rounds of the event loop: many that come at once, or one after another on
 * their connections, leave time for those on others.
 */
const beginTurn = (request: IncomingMessage, begin: () => void): void => {
  if (began === undefined) {
    began = performance.now()
    setImmediate(nextRound)
  } else if (waiting.others.length > 0 || performance.now() - began >= shareMs)
    return void waiting[isProbe(request) ? "probes" : "others"].push(begin)
  begin()
}

/** The most bytes that are parsed at once. Requests in them are known before the first of them has begun: at most 56 (HTTP/1.0). */
const slice = 1024

class Turns {
  readonly #socket: Socket
  /** How many of the next bytes are certain to be of a body: no request is in them. */
  #body = 0
  readonly #waiting: Array<Entry> = []
  #current: IncomingMessage | undefined
  #isOver = false

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** Whether no request is in hand. */
  get isIdle(): boolean {
    return this.#current === undefined && this.#waiting.length === 0
  }

  /** Whether what arrives next must wait: a request is in hand as a whole, or others wait already. */
  get isBusy(): boolean {
    return this.#waiting.length > 0 || this.#current?.complete === true
  }

  /** Whether nothing more is read: the peer has sent bytes that are no request. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** How many bytes may be parsed next, of some that have arrived. */
  admit(arrived: number): number {
    const size = Math.max(Math.min(this.#body, arrived), slice)
    this.#body = Math.max(this.#body - size, 0)
    return size
  }

  enter(request: IncomingMessage, response: ServerResponse, handle: () => void): void {
    const begin = (): void => {
      if (this.#socket.destroyed) return
      // The host has answered while the request waited: its `close` has been, or comes by itself.
      if (response.closed) return this.#leave()
      response.once("close", () => this.#leave())
      if (!response.writableEnded) handle()
    }
    if (this.#current === undefined) this.#begin({ request, begin })
    else this.#waiting.push({ request, begin })
  }

  /** Responds to bytes that are no request, after the requests before them. Those of a body are the last of its request. */
  end(respond: () => void): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#waiting.at(-1)?.request?.complete === false) this.#waiting.pop()
    if (this.#current?.complete === true) this.#waiting.push({ request: undefined, begin: respond })
    else respond()
  }

  #begin({ begin, request }: Entry): void {
    this.#current = request
    if (request === undefined) return begin()
    // What of its body has been parsed was in one slice with its headers.
    this.#body = Math.max(Number(request.headers["content-length"] ?? 0) - slice, 0)
    beginTurn(request, begin)
  }

  #leave(): void {
    this.#current = undefined
    if (this.#socket.destroyed) return
    const next = this.#waiting.shift()
    if (next !== undefined) this.#begin(next)
    else if (this.#socket.isPaused()) this.#socket.resume()
  }
}

const connections = new WeakMap<Socket, Turns>()

export const turnsOf = (socket: Socket): Turns => {
  const known = connections.get(socket)
  if (known !== undefined) return known
  const turns = new Turns(socket)
  connections.set(socket, turns)
  return turns
}

/** Handles a request when those before it on its connection have been answered. A connection of HTTP/2 has streams instead. */
export const inTurn = (request: IncomingMessage, response: ServerResponse, handle: () => void): void => {
  if (request.httpVersionMajor === 1) turnsOf(request.socket).enter(request, response, handle)
  else handle()
}

/**
 * Hands the parser of a connection no more than it may parse: what arrives while a request is in hand stays with the kernel,
 * but for a buffer. Node itself parses all that it has read, up to 3,600 requests.
 */
export const paceSocket = (socket: Socket): void => {
  const turns = turnsOf(socket)
  const [parse] = socket.listeners("data") as [(bytes: Buffer) => void]
  socket.removeListener("data", parse)
  socket.on("data", (bytes: Buffer) => {
    for (let at = 0; at < bytes.length; ) {
      if (socket.destroyed || turns.isOver) return
      // Node pauses too: while a body is not read, and while the socket takes no more.
      const { _paused } = socket as { readonly _paused?: boolean }
      if (turns.isBusy || _paused === true || socket.isPaused()) {
        socket.pause()
        socket.unshift(bytes.subarray(at))
        return
      }
      const size = turns.admit(bytes.length - at)
      parse(bytes.subarray(at, at + size))
      at += size
    }
  })
}

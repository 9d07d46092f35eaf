/**
 * `fetch` for servers that are trusted with a request and with nothing else. It follows no redirect: that would carry the headers
 * and the body, which may be secrets, to wherever the server says. It reads no more than a bound: an answer that never ends
 * would take the memory of the process.
 */

/** The answer has more bytes than the bound. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge"
}

/** Makes a stream that passes bytes on, up to a bound. Beyond it, the stream fails and its source is cancelled. */
const limitSize = (max_bytes: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> => {
  let size = 0
  return new TransformStream({
    transform: (chunk, controller) => {
      size += chunk.length
      if (size > max_bytes) throw new AnswerTooLarge(`the answer has more than ${max_bytes} bytes`)
      controller.enqueue(chunk)
    }
  })
}

/**
 * A `fetch` whose answers have at most `max_bytes`, decompressed: reading more rejects with {@link AnswerTooLarge} and closes the
 * connection. A redirect is an answer like others, with its status. The caller bounds the time, of the body too.
 */
export const limitFetch =
  (max_bytes: number): typeof fetch =>
  async (input, init) => {
    const answer = await fetch(input, { ...init, redirect: "manual" })
    return answer.body === null ? answer : new Response(answer.body.pipeThrough(limitSize(max_bytes)), answer)
  }

/** The largest answer of a node of a chain, in bytes. */
export const RPC_MAX_BYTES = 32 * 1024 * 1024

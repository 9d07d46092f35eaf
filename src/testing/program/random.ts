/** Random numbers from a text: the same text always gives the same sequence, in every process (FNV-1a into sfc32). */

const hash32 = (text: string): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** Hashes a text to a fraction in [0, 1). It depends on the text alone, not on earlier draws. */
export const hashToFraction = (text: string): number => hash32(text) / 2 ** 32

export class Chance {
  #a: number
  #b: number
  #c: number
  #d = 1

  constructor(seed: string) {
    this.#a = hash32(`a ${seed}`)
    this.#b = hash32(`b ${seed}`)
    this.#c = hash32(`c ${seed}`)
    for (let i = 0; i < 12; i++) this.bits()
  }

  /** 32 random bits. */
  bits(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#d) | 0
    this.#d = (this.#d + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum
    this.#c |= 0
    return sum >>> 0
  }

  /** A fraction in [0, 1). */
  fraction(): number {
    return this.bits() / 2 ** 32
  }

  /** An integer from `least` to `most`, inclusive. */
  between(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1))
  }

  /** True with the given probability. */
  happens(probability: number): boolean {
    return this.fraction() < probability
  }

  pick<A>(of: ReadonlyArray<A>): A {
    const found = of[this.between(0, of.length - 1)]
    if (found === undefined) throw new RangeError("the list to pick from is empty")
    return found
  }

  /** Picks a value with a probability proportional to its weight. */
  weighted<A>(of: ReadonlyArray<readonly [weight: number, value: A]>): A {
    let left = this.fraction() * of.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, value] of of) {
      left -= weight
      if (left < 0) return value
    }
    return of.at(-1)![1]
  }
}

/** A map of at most `max` entries, in the order in which they came: a new one beyond them drops the oldest. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #max: number

  constructor(max: number) {
    super()
    this.#max = max
  }

  override set(key: K, value: V): this {
    if (this.size >= this.#max && !this.has(key)) {
      const [oldest] = this.keys()
      this.delete(oldest!)
    }
    return super.set(key, value)
  }
}

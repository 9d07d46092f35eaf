/** The version of this package, as deliveries name it. A test holds it to `package.json`. */
export const version = "0.1.0"

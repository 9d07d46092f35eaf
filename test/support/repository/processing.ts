/**
 * The processor milliseconds of this process since it was made. A bound of how long something takes is of these: by the clock it would be one
 * of the machine, and of what runs beside.
 */
export const startProcessing = (): (() => number) => {
  const before = process.cpuUsage()
  return () => {
    const { system, user } = process.cpuUsage(before)
    return (user + system) / 1000
  }
}

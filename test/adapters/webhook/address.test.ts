import { assert, describe, it } from "@effect/vitest"
import { findAddressFault, findUrlFault } from "../../../src/adapters/webhook/address.ts"

const nowhere: ReadonlyArray<readonly [string, string]> = [
  ["0.0.0.0", "unspecified"],
  ["0.1.2.3", "unspecified"],
  ["10.0.0.1", "private"],
  ["100.64.0.1", "carrier-grade NAT"],
  ["100.100.100.200", "carrier-grade NAT"],
  ["169.254.169.254", "link-local"],
  ["172.16.0.1", "private"],
  ["172.31.255.255", "private"],
  ["192.168.1.1", "private"],
  ["192.0.0.192", "reserved"],
  ["192.0.2.1", "reserved"],
  ["192.88.99.1", "reserved"],
  ["198.18.0.1", "reserved"],
  ["198.51.100.7", "reserved"],
  ["203.0.113.9", "reserved"],
  ["224.0.0.1", "multicast"],
  ["240.0.0.1", "reserved"],
  ["255.255.255.255", "broadcast"],
  ["168.63.129.16", "reserved"],
  ["::", "unspecified"],
  ["::ffff:127.0.0.1", "mapped"],
  ["::ffff:8.8.8.8", "mapped"],
  ["::ffff:0:127.0.0.1", "reserved"],
  ["::127.0.0.1", "mapped"],
  ["::7f00:1", "reserved"],
  ["64:ff9b::7f00:1", "reserved"],
  ["64:ff9b:1::a00:1", "reserved"],
  ["100::1", "reserved"],
  ["2001::1", "reserved"],
  ["2001:0:53aa:64c::1", "reserved"],
  ["2001:2::1", "reserved"],
  ["2001:10::1", "reserved"],
  ["2001:20::1", "reserved"],
  ["2001:db8::1", "reserved"],
  ["2002:7f00:1::1", "reserved"],
  ["2002:a00:1::", "reserved"],
  ["3fff::1", "reserved"],
  ["4000::1", "reserved"],
  ["5f00::1", "reserved"],
  ["fc00::1", "private"],
  ["fd00:ec2::254", "private"],
  ["fe80::1", "link-local"],
  ["fe80::1%eth0", "link-local"],
  ["fec0::1", "reserved"],
  ["ff02::1", "multicast"],
  ["", "an invalid address"],
  ["localhost", "an invalid address"]
]

describe("addresses", () => {
  it.each(nowhere)("%s is rejected in both environments", (address, message) => {
    for (const environment of ["live", "test"] as const)
      assert.include(findAddressFault(address, environment) ?? "allowed", message)
  })

  it.each(["127.0.0.1", "127.255.255.254", "::1"])("%s is allowed in test and rejected in live", (address) => {
    assert.isNull(findAddressFault(address, "test"))
    assert.include(findAddressFault(address, "live") ?? "allowed", "loopback")
  })

  it.each([
    "1.1.1.1",
    "93.184.215.14",
    "172.32.0.1",
    "100.128.0.1",
    "2606:4700:4700::1111",
    "2a00:1450:4001:80b::200e"
  ])("%s is allowed in both environments", (address) => {
    assert.isNull(findAddressFault(address, "live"))
    assert.isNull(findAddressFault(address, "test"))
  })
})

describe("urls", () => {
  it.each([
    "https://hooks.example.com/corridor?tenant=1",
    "https://hooks.example.com:8443/",
    "https://bücher.example/hook",
    "https://1.1.1.1/",
    "https://[2606:4700:4700::1111]/"
  ])("%s is valid", (url) => assert.isNull(findUrlFault(url, "live")))

  it.each([
    ["http://hooks.example.com/", "https://"],
    ["ftp://hooks.example.com/", "https://"],
    ["file:///etc/passwd", "https://"],
    ["hooks.example.com", "is not valid"],
    ["https://", "is not valid"],
    ["https://a b/", "is not valid"],
    ["https://user:pass@hooks.example.com/", "credentials"],
    ["https://user@hooks.example.com/", "credentials"],
    ["https://:pass@hooks.example.com/", "credentials"],
    [`https://hooks.example.com/${"x".repeat(2048)}`, "2048"],
    ["https://127.0.0.1/", "loopback"]
  ])("%s is invalid", (url, message) => assert.include(findUrlFault(url, "live") ?? "allowed", message))

  it("http is valid in test", () => assert.isNull(findUrlFault("http://hooks.example.com/", "test")))
})

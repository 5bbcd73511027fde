import { describe, expect, test } from "vitest";
import { addressKey, addressKind, isThisMachine, parseAddress, type AddressKind } from "./address.ts";

describe("an address is told by its bytes", () => {
  test.each<[string, AddressKind]>([
    ["0.0.0.0", "unspecified"],
    ["0.1.2.3", "unspecified"],
    ["9.255.255.255", "global"],
    ["10.0.0.8", "private"],
    ["11.0.0.0", "global"],
    ["100.63.255.255", "global"],
    ["100.64.0.1", "shared"],
    ["100.100.100.200", "shared"],
    ["100.127.255.255", "shared"],
    ["100.128.0.0", "global"],
    ["126.255.255.255", "global"],
    ["127.0.0.1", "loopback"],
    ["127.255.255.254", "loopback"],
    ["128.0.0.0", "global"],
    ["168.63.129.16", "metadata"],
    ["168.63.129.17", "global"],
    ["169.253.255.255", "global"],
    ["169.254.169.254", "link-local"],
    ["169.255.0.0", "global"],
    ["172.15.255.255", "global"],
    ["172.16.0.1", "private"],
    ["172.31.255.255", "private"],
    ["172.32.0.0", "global"],
    ["192.0.0.192", "reserved"],
    ["192.0.2.1", "documentation"],
    ["192.0.3.1", "global"],
    ["192.88.99.1", "6to4"],
    ["192.167.255.255", "global"],
    ["192.168.1.1", "private"],
    ["192.169.0.0", "global"],
    ["198.17.255.255", "global"],
    ["198.18.0.1", "benchmarking"],
    ["198.19.255.255", "benchmarking"],
    ["198.20.0.0", "global"],
    ["198.51.100.7", "documentation"],
    ["203.0.113.9", "documentation"],
    ["223.255.255.255", "global"],
    ["224.0.0.1", "multicast"],
    ["239.255.255.250", "multicast"],
    ["240.0.0.1", "reserved"],
    ["255.255.255.255", "broadcast"],
    ["93.184.216.34", "global"],
    ["::", "unspecified"],
    ["::1", "loopback"],
    ["::2", "v4-compatible"],
    ["::127.0.0.1", "v4-compatible"],
    ["::ffff:127.0.0.1", "v4-mapped"],
    ["0:0:0:0:0:ffff:7f00:1", "v4-mapped"],
    ["::ffff:93.184.216.34", "v4-mapped"],
    ["::ffff:0:127.0.0.1", "translated"],
    ["64:ff9b::7f00:1", "translated"],
    ["64:ff9b:1::1", "translated"],
    ["64:ff9b:2::1", "reserved"],
    ["100::1", "reserved"],
    ["2001::1", "teredo"],
    ["2001:2::1", "benchmarking"],
    ["2001:10::1", "reserved"],
    ["2001:20::1", "reserved"],
    ["2001:1ff:ffff::1", "reserved"],
    ["2001:200::1", "global"],
    ["2001:db8::1", "documentation"],
    ["2002:7f00:1::", "6to4"],
    ["2003::1", "global"],
    ["2606:2800:220:1:248:1893:25c8:1946", "global"],
    ["3ffe::1", "reserved"],
    ["3fff:fff::1", "documentation"],
    ["3fff:1000::1", "global"],
    ["4000::1", "reserved"],
    ["5f00::1", "reserved"],
    ["fc00::1", "private"],
    ["fd00:ec2::254", "private"],
    ["fe80::1", "link-local"],
    ["febf::1", "link-local"],
    ["fec0::1", "private"],
    ["ff02::1", "multicast"],
  ])("%s is %s", (text, kind) => {
    expect(addressKind(parseAddress(text)!)).toBe(kind);
  });

  test.each([
    "",
    "1.2.3",
    "1.2.3.4.5",
    "01.2.3.4",
    "256.1.1.1",
    "0x7f.0.0.1",
    "1.2.3.-4",
    " 1.2.3.4",
    ":",
    ":::",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7::8",
    "12345::",
    "fe80::1%eth0",
    "[::1]",
    "::1.2.3",
    "::1.2.3.4:5",
    "g::1",
  ])("%j is no address", (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });

  test("what is neither four nor sixteen bytes is never public", () => {
    expect(addressKind([1, 2, 3])).toBe("reserved");
    expect(addressKind([])).toBe("reserved");
  });

  test("this machine is known in every spelling", () => {
    for (const text of [
      "127.0.0.1",
      "127.9.9.9",
      "0.0.0.0",
      "::",
      "::1",
      "::ffff:127.0.0.1",
      "::127.0.0.1",
    ]) {
      expect(isThisMachine(parseAddress(text)!), text).toBe(true);
    }
    expect(isThisMachine(parseAddress("10.0.0.1")!)).toBe(false);
    expect(addressKey(parseAddress("::ffff:10.0.0.1")!)).toBe(addressKey(parseAddress("10.0.0.1")!));
  });
});

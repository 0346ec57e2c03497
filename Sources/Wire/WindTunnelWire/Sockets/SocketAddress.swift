package import Foundation

/// An IP address and a port, in the system's own layout.
package struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
  /// A `sockaddr_in` or `sockaddr_in6`, whose memory was zeroed before it was filled.
  private var bytes: [UInt8]

  /// Parses a literal such as `127.0.0.1`, `::1` or `[::1]`; `nil` for a name.
  package init?(_ host: String, port: Int) {
    guard let port = UInt16(exactly: port) else { return nil }
    let (isBracketed, host) = (host.withoutBrackets != host, host.withoutBrackets)
    var four = sockaddr_in.empty
    var six = sockaddr_in6.empty
    if !isBracketed, inet_pton(AF_INET, host, &four.sin_addr) == 1 {
      four.sin_port = port.bigEndian
      bytes = withUnsafeBytes(of: &four) { Array($0) }
    } else if inet_pton(AF_INET6, host, &six.sin6_addr) == 1 {
      six.sin6_port = port.bigEndian
      bytes = withUnsafeBytes(of: &six) { Array($0) }
    } else {
      return nil
    }
  }

  /// Returns the loopback address of this machine.
  package static func loopback(port: Int = 0) -> SocketAddress {
    guard let address = SocketAddress("127.0.0.1", port: port) else {
      preconditionFailure("\(port) is not a port; the maximum is 65535")
    }
    return address
  }

  /// Copies an address from the system; `nil` if it is not an IP address.
  package init?(_ system: UnsafePointer<sockaddr>) {
    let count: Int
    switch Int32(system.pointee.sa_family) {
    case AF_INET: count = MemoryLayout<sockaddr_in>.size
    case AF_INET6: count = MemoryLayout<sockaddr_in6>.size
    default: return nil
    }
    bytes = Array(UnsafeRawBufferPointer(start: system, count: count))
  }

  /// Passes the address to a system call.
  package func withSystem<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result
  {
    bytes.withUnsafeBytes { raw in
      withUnsafeTemporaryAllocation(of: sockaddr_storage.self, capacity: 1) { storage in
        UnsafeMutableRawBufferPointer(storage).copyMemory(from: raw)
        return storage.withMemoryRebound(to: sockaddr.self) { rebound in
          // One element was allocated, so there is a base address.
          guard let base = rebound.baseAddress else { preconditionFailure("no memory") }
          return body(base, socklen_t(raw.count))
        }
      }
    }
  }

  /// Returns an address from a system call: `getsockname`, `getpeername`.
  package static func asked(
    _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> SocketAddress? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { system in
        call(system, &length) == 0 ? SocketAddress(system) : nil
      }
    }
  }

  package var family: Int32 { withSystem { address, _ in Int32(address.pointee.sa_family) } }

  /// The port, which has the same position in both layouts.
  package var port: Int { Int(bytes[2]) << 8 | Int(bytes[3]) }

  /// Returns the same address with another port, from 0 to 65535.
  package func at(port: Int) -> SocketAddress {
    var other = self
    (other.bytes[2], other.bytes[3]) = (UInt8(port >> 8 & 0xFF), UInt8(port & 0xFF))
    return other
  }

  /// The address without the port, 4 or 16 bytes in network order.
  package var addressBytes: [UInt8] { Array(family == AF_INET ? bytes[4..<8] : bytes[8..<24]) }

  /// The literal without brackets.
  package var host: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = family
    let place = family == AF_INET ? 4 : 8
    bytes.withUnsafeBytes { raw in
      _ = inet_ntop(family, raw.baseAddress?.advanced(by: place), &text, socklen_t(text.count))
    }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Returns an address literal in the system's spelling, so that two can be compared; other text
  /// unchanged.
  package static func spelled(_ text: String) -> String {
    SocketAddress(text, port: 0)?.host ?? text
  }

  /// Looks up the addresses of a name, in the system's order of preference.
  ///
  /// It blocks while the resolver waits (10 s if no name server responds), so it must not be called
  /// on a loop.
  package static func resolve(_ name: String, port: Int) throws(SocketError) -> [SocketAddress] {
    if let literal = SocketAddress(name, port: port) { return [literal] }
    var hints = addrinfo()
    hints.ai_socktype = Platform.stream
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(name, String(port), &hints, &list)
    guard code == 0 else {
      // A resolver that cannot open files finds no name and does not report why.
      if let shortage = OpenFiles.shortage() { throw SocketError(.open, shortage) }
      throw SocketError(.resolve, code)
    }
    defer { freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var entry = list
    while let current = entry {
      if let address = current.pointee.ai_addr.flatMap({ SocketAddress(UnsafePointer($0)) }) {
        addresses.append(address)
      }
      entry = current.pointee.ai_next
    }
    return addresses
  }

  /// The address as an authority: `127.0.0.1:80`, `[::1]:80`.
  package var description: String { family == AF_INET6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension String {
  /// An address literal without its brackets, for a look-up (RFC 3986 §3.2.2).
  package var withoutBrackets: String {
    hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
  }
}

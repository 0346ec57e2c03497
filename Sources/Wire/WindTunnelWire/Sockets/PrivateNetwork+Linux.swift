#if !canImport(Darwin)
  @_spi(WindTunnel) internal import WindTunnelCore
  package import CWindTunnelSystem
  internal import Foundation

  /// A network with only a loopback interface, whose sockets this process holds.
  ///
  /// A server in it is the only one there, and its name server is used by all programs in it. It is
  /// a network namespace (namespaces(7)) with its own user namespace. It needs no privileges if the
  /// system allows every user to create those.
  package final class PrivateNetwork: Sendable {
    // Numbers that never change.
    private nonisolated(unsafe) let parts: wt_network_parts
    private let portsTaken = Locked(false)

    /// The reason why the network cannot be created, as half a sentence.
    package struct Unavailable: Error, Sendable, Hashable, CustomStringConvertible {
      package let description: String

      fileprivate init(_ what: String, _ code: Int32) {
        description = "\(what): \(String(cString: strerror(code)))"
      }
    }

    /// Creates a network with only a loopback interface.
    package init() throws(Unavailable) {
      var parts = wt_network_parts()
      guard wt_network_open(&parts) == 0 else {
        throw Unavailable(parts.step.map { String(cString: $0) } ?? "", errno)
      }
      self.parts = parts
    }

    /// The files that replace the system's own files for programs in the network.
    ///
    /// Only the name server of this network is used, regardless of the system's configuration
    /// (nsswitch.conf(5)). The name cache (nscd(8)) and systemd's resolver are disabled, because
    /// they run outside the network.
    private static let places: [(place: String, text: String)] = [
      ("/etc/resolv.conf", "nameserver 127.0.0.1\n"),
      ("/etc/nsswitch.conf", sources),
      ("/run/nscd/socket", ""), ("/var/run/nscd/socket", ""),
      ("/run/systemd/resolve/io.systemd.Resolve", ""),
    ]

    /// The system's name service configuration, except for hosts.
    private static let sources: String = {
      // If it is missing or unreadable, the library's defaults apply to all other entries.
      let own = (try? String(contentsOfFile: "/etc/nsswitch.conf", encoding: .utf8)) ?? ""
      let others = own.split(separator: "\n").filter { !$0.hasPrefix("hosts:") }
      return (others + ["hosts: files dns"]).joined(separator: "\n") + "\n"
    }()

    deinit {
      var parts = parts
      wt_network_close(&parts)
      if !portsTaken.withLock({ $0 }) {
        for port in [parts.datagrams, parts.listener] { close(port) }
      }
    }

    /// The reason why programs on this machine cannot be in such a network; `nil` if they can.
    package static let obstacle: String? = {
      do throws(Unavailable) {
        try PrivateNetwork().enterOnce()
        return nil
      } catch {
        return error.description
      }
    }()

    /// Starts a process in the network that does nothing.
    private func enterOnce() throws(Unavailable) {
      let code = withNetwork { wt_network_try($0) == 0 ? 0 : errno }
      guard code == 0 else { throw Unavailable("files in the places of others there", code) }
    }

    /// Calls a function with the data for starting a process in this network.
    package func withNetwork<Result>(_ body: (UnsafePointer<wt_network>) -> Result) -> Result {
      let texts = Self.places.flatMap { [strdup($0.place), strdup($0.text)] }
      defer { for text in texts { free(text) } }
      return (texts.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { pairs in
        var network = wt_network(
          users: parts.users,
          network: parts.network,
          places: pairs.baseAddress
        )
        return body(&network)
      }
    }

    /// Returns a TCP socket in the network that is non-blocking and close-on-exec, or -1.
    package func socket() -> Int32 {
      var parts = parts
      return wt_network_socket(&parts)
    }

    /// Returns the sockets of port 53 in the network, for UDP and TCP; `nil` after the first call,
    /// because only one server can use them.
    package func claimPorts() -> (datagrams: Int32, listener: Int32)? {
      portsTaken.exchange(true) ? nil : (parts.datagrams, parts.listener)
    }
  }
#endif

#if !canImport(Darwin)
  @_spi(WindTunnel) internal import WindTunnelCore
  package import CWindTunnelSystem
  internal import Foundation

  /// A network with a loopback interface and nothing else, whose sockets this process holds: a
  /// server here is the only one there, and its name server the one of every program in it.
  ///
  /// It is a network namespace (namespaces(7)) with a user namespace of its own, and takes no
  /// rights where the system lets everybody make those.
  package final class PrivateNetwork: Sendable {
    // Numbers, which are never changed.
    private nonisolated(unsafe) let parts: wt_network_parts
    private let portsTaken = Locked(false)

    /// The reason why there is no such network: half a sentence.
    package struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
      package let description: String

      fileprivate init(_ what: String, _ code: Int32) {
        description = "\(what): \(String(cString: strerror(code)))"
      }
    }

    /// Makes a network with a loopback interface and nothing else.
    package init() throws(Refusal) {
      var parts = wt_network_parts()
      guard wt_network_open(&parts) == 0 else {
        throw Refusal(parts.step.map { String(cString: $0) } ?? "", errno)
      }
      self.parts = parts
    }

    /// The texts that programs there find in the places of the system's own files. The name server
    /// is the one of this network, and nobody else is asked, whatever the system's own list says
    /// (nsswitch.conf(5)): neither the name cache (nscd(8)) nor systemd's resolver, which are
    /// outside and would answer in its place.
    private static let places: [(place: String, text: String)] = [
      ("/etc/resolv.conf", "nameserver 127.0.0.1\n"),
      ("/etc/nsswitch.conf", sources),
      ("/run/nscd/socket", ""), ("/var/run/nscd/socket", ""),
      ("/run/systemd/resolve/io.systemd.Resolve", ""),
    ]

    /// The system's list of who knows what, but for hosts.
    private static let sources: String = {
      // One that has none, or that cannot be read, is asked by the library's own rule for all else.
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

    /// The reason why programs of this machine cannot be in such a network; `nil` where they can.
    package static let obstacle: String? = {
      do throws(Refusal) {
        try PrivateNetwork().enterOnce()
        return nil
      } catch {
        return error.description
      }
    }()

    /// Sends a process there that does nothing.
    private func enterOnce() throws(Refusal) {
      let code = withNetwork { wt_network_try($0) == 0 ? 0 : errno }
      guard code == 0 else { throw Refusal("files in the places of others there", code) }
    }

    /// Calls with what a process needs that is started in this network.
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

    /// Returns a TCP socket there that does not block and is not inherited, or -1.
    package func socket() -> Int32 {
      var parts = parts
      return wt_network_socket(&parts)
    }

    /// Port 53 there, by UDP and TCP: for one server, once.
    package func claimPorts() -> (datagrams: Int32, listener: Int32)? {
      portsTaken.exchange(true) ? nil : (parts.datagrams, parts.listener)
    }
  }
#endif

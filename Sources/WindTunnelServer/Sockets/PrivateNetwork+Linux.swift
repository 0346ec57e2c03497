#if !canImport(Darwin)
  package import CWindTunnelSystem
  internal import Foundation
  internal import WindTunnel

  /// A network with a loopback interface and nothing else, whose sockets this process holds: a server
  /// here is the only one there, and its name server the one of every program in it.
  ///
  /// It is a network namespace (namespaces(7)) with a user namespace of its own, and takes no rights
  /// where the system lets everybody make those.
  package final class PrivateNetwork: Sendable {
    /// What programs there find in the places of the system's own files.
    package let bound: [(file: String, place: String)]

    // Numbers, which are never changed.
    private nonisolated(unsafe) let parts: wt_network_parts
    private let folder: URL
    private let portsTaken = Locked(false)

    /// Why there is no such network: half a sentence.
    package struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
      package let description: String

      fileprivate init(_ what: String, _ code: Int32) {
        description = "\(what): \(String(cString: strerror(code)))"
      }
    }

    /// Makes a network.
    package init() throws(Refusal) {
      folder = FileManager.default.temporaryDirectory
        .appending(path: "windtunnel-network-\(UUID().uuidString)")
      (bound, parts) = try Self.make(in: folder)
    }

    private static func make(
      in folder: URL
    ) throws(Refusal) -> ([(file: String, place: String)], wt_network_parts) {
      do {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in files {
          try Data(text.utf8).write(to: folder.appending(path: name))
        }
      } catch {
        throw Refusal(folder.path, ENOENT)
      }
      var parts = wt_network_parts()
      guard wt_network_open(&parts) == 0 else {
        throw Refusal(parts.step.map { String(cString: $0) } ?? "", errno)
      }
      let bound =
        files.map { (folder.appending(path: $0.name).path, "/etc/\($0.name)") }
        + hidden.map { ("/dev/null", $0) }
      return (bound, parts)
    }

    /// The name server is the one of this network; and nobody else is asked before it, whatever the
    /// system's own list says (nsswitch.conf(5)).
    private static let files: [(name: String, text: String)] = [
      ("resolv.conf", "nameserver 127.0.0.1\n"),
      ("nsswitch.conf", "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\n"),
    ]
    /// Services outside that would answer in its place: the name cache's (nscd(8)) and systemd's.
    private static let hidden = [
      "/run/nscd/socket", "/var/run/nscd/socket", "/run/systemd/resolve/io.systemd.Resolve",
    ]

    deinit {
      var parts = parts
      wt_network_close(&parts)
      if !portsTaken.withLock({ $0 }) {
        for port in [parts.datagrams, parts.listener] { close(port) }
      }
      // It lies in the system's folder for such files; one that is gone is gone.
      try? FileManager.default.removeItem(at: folder)
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
      let texts = bound.flatMap { [strdup($0.file), strdup($0.place)] }
      defer { for text in texts { free(text) } }
      return (texts.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { pairs in
        var network = wt_network(
          users: parts.users,
          network: parts.network,
          bound: pairs.baseAddress
        )
        return body(&network)
      }
    }

    /// A TCP socket there that does not block and is not inherited, or -1.
    func socket() -> Int32 {
      var parts = parts
      return wt_network_socket(&parts)
    }

    /// Port 53 there, by UDP and TCP: for one server, once.
    func takePorts() -> (datagrams: Int32, listener: Int32)? {
      let isFirst = portsTaken.withLock { taken in
        defer { taken = true }
        return !taken
      }
      return isFirst ? (parts.datagrams, parts.listener) : nil
    }
  }
#endif

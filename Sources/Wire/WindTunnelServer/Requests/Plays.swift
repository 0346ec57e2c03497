internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// Independent plays of one cassette on one server, for test runners that share a process.
///
/// A request names its play. Each play has its own next recording, fault counts and placeholder
/// values, as a `Lane` has. The name is removed before the request is matched. Faults of
/// connections, which happen before there is a request, belong to no play.
public final class Plays: Sendable {
  /// The part of a request that names its play.
  public enum Mark: Sendable, Hashable {
    /// A header field. Requests without it share a play of their own.
    case header(String)
    /// The first segment of the path.
    case pathSegment
  }

  /// The maximum number of plays on a server.
  public static let countMax = 1000
  /// The maximum length of a play's name.
  public static let nameBytesMax = 128

  /// A play, as named by a request.
  struct Play {
    fileprivate let name: String
    /// The path in front of each path of the play.
    var basePath = ""
    /// The URL without the name.
    var url: RequestURL
  }

  private let mark: Mark
  private let names = Locked<Set<String>>([])

  /// Creates the plays of a server.
  public init(by mark: Mark) { self.mark = mark }

  /// Returns the play that a request names; `nil` if it names none.
  func play(of head: RequestHead) -> Play? {
    var url = head.url
    if case .header(let header) = mark {
      return head.headers[header].map { Play(name: $0, url: url) }
    }
    let parts = url.path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count > 1, parts[0].isEmpty, !parts[1].isEmpty else { return nil }
    url.path = "/" + (parts.count > 2 ? parts[2] : "")
    return Play(name: String(parts[1]), basePath: "/\(parts[1])", url: url)
  }

  /// Replaces the play's name in the fields by the name of its lane.
  func name(_ play: Play, in headers: inout HeaderFields) {
    if case .header(let header) = mark { headers.remove(header) }
    // A lane name that ends with a slash and a number belongs to a call.
    let name = play.name.replacing("~", with: "~0").replacing("/", with: "~1")
    headers[Lane.header] = "play:\(name)"
  }

  /// Returns the refusal of a request whose play cannot begin; `nil` if it can.
  func refusal(of head: RequestHead) -> Response? {
    guard let name = play(of: head)?.name else { return nil }
    let isKnown = names.withLock { names in
      names.contains(name)
        || names.count < Self.countMax && name.utf8.count <= Self.nameBytesMax
          && names.insert(name).inserted
    }
    if isKnown { return nil }
    return .notice(
      503,
      "A new play is not possible: the maximum is \(Self.countMax) plays, with names of up to "
        + "\(Self.nameBytesMax) bytes. Reuse names, or restart the server."
    )
  }
}

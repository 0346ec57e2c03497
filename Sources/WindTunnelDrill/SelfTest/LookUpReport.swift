internal import Foundation
internal import WindTunnel

/// What was seen of a name that a script leads astray, as a line of text.
struct LookUpReport: Codable, Sendable, Hashable {
  /// The example's name.
  var name: String
  /// What the C library's look-up came to: addresses, or the name of its error.
  var found: [String]
  /// The exit code of curl; `nil` where it is not here.
  var curl: Int?
  /// The facts that `URLSession` saw, as ``SessionProbe`` prints them; `nil` where it could not look.
  var session: String?
}

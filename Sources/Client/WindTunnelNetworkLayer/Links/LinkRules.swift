public import Foundation

/// The links that a client may request: the whole URL of each request must match one of the
/// patterns.
public struct LinkRules: Sendable, Hashable {
  /// The maximum number of patterns.
  public static let patternsMax = 64
  /// The maximum length of all patterns together in bytes.
  public static let bytesMax = 4096
  /// The maximum length of a URL in bytes. A longer URL is not allowed.
  public static let linkBytesMax = 8192

  /// The patterns in their order.
  public let patterns: [LinkPattern]

  /// Creates rules from pattern texts.
  ///
  /// - Throws: ``ConfigurationError`` with a sentence for each pattern that is refused.
  public init(_ patterns: [String]) throws(ConfigurationError) {
    var problems: [String] = []
    if patterns.isEmpty {
      problems.append("\"links\" has no pattern and would refuse every link; remove it.")
    }
    if patterns.count > Self.patternsMax {
      problems.append(
        "\"links\" has \(patterns.count) patterns; the maximum is \(Self.patternsMax)."
      )
    }
    let bytes = patterns.reduce(0) { $0 + $1.utf8.count }
    if bytes > Self.bytesMax {
      problems.append("\"links\" has \(bytes) bytes; the maximum is \(Self.bytesMax).")
    }
    guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    var read: [LinkPattern] = []
    for text in patterns {
      do throws(LinkPatternError) { read.append(try LinkPattern(text)) } catch {
        problems.append("In \"links\": \(error.description)")
      }
    }
    guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    self.patterns = read
  }

  /// Returns whether a URL may be requested.
  public func allows(_ url: URL) -> Bool {
    let link = url.absoluteString
    return link.utf8.count <= Self.linkBytesMax && patterns.contains { $0.matches(link) }
  }
}

public import Foundation

/// The links that a client may ask: the URL of each request has to be like one of some patterns, as
/// a whole.
public struct LinkRules: Sendable, Hashable {
  /// The greatest number of patterns.
  public static let patternsMax = 64
  /// The greatest length of all patterns together in bytes.
  public static let bytesMax = 4096
  /// The greatest length of a URL in bytes; a longer one is none that may be asked.
  public static let linkBytesMax = 8192

  /// The patterns in their order.
  public let patterns: [LinkPattern]

  /// Makes rules of patterns as they are written.
  ///
  /// - Throws: ``ConfigurationError`` with a sentence for each that is refused.
  public init(_ patterns: [String]) throws(ConfigurationError) {
    var faults: [String] = []
    if patterns.isEmpty {
      faults.append("\"links\" has no pattern, so that nothing could be asked; leave it out.")
    }
    if patterns.count > Self.patternsMax {
      faults.append(
        "\"links\" has \(patterns.count) patterns; it may have \(Self.patternsMax) at most."
      )
    }
    let bytes = patterns.reduce(0) { $0 + $1.utf8.count }
    if bytes > Self.bytesMax {
      faults.append("\"links\" has \(bytes) bytes; it may have \(Self.bytesMax) at most.")
    }
    guard faults.isEmpty else { throw ConfigurationError(faults: faults) }
    var read: [LinkPattern] = []
    for text in patterns {
      do throws(LinkPatternError) { read.append(try LinkPattern(text)) } catch {
        faults.append("In \"links\": \(error.description)")
      }
    }
    guard faults.isEmpty else { throw ConfigurationError(faults: faults) }
    self.patterns = read
  }

  /// Tells whether a URL may be asked.
  public func allows(_ url: URL) -> Bool {
    let link = url.absoluteString
    return link.utf8.count <= Self.linkBytesMax && patterns.contains { $0.matches(link) }
  }
}

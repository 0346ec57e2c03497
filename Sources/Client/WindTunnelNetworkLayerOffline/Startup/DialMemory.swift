public import Foundation
internal import WindTunnelNetworkLayer

/// The servers that dial tests have chosen, by network, in a file.
public final class DialMemory: Sendable {
  /// The maximum number of networks. The oldest choice is forgotten first.
  public static let networksMax = 64
  /// The maximum length of the file in bytes. A longer file counts as empty.
  public static let fileBytesMax = 64 << 10

  struct Choice: Sendable, Hashable, Codable {
    var url: URL
    var bytesPerSecond: Double?
    var date: Date
  }

  private let file: URL
  private let goodFor: Duration
  private let choices: Locked<[String: Choice]>

  /// Reads a file in an existing directory. A damaged or missing file counts as empty.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - goodFor: The time for which a choice is used without a probe; by default a day.
  public init(file: URL, goodFor: Duration = .seconds(86_400)) {
    (self.file, self.goodFor) = (file, goodFor)
    choices = Locked(Self.read(file))
  }

  /// Returns the choice on a network if it is one of these servers.
  func choice(on network: String, among candidates: [URL]) -> Choice? {
    choices.withLock { $0[network] }.flatMap { candidates.contains($0.url) ? $0 : nil }
  }

  /// Returns whether a choice needs no probe. A choice with a date in the future does.
  func isFresh(_ choice: Choice, at now: Date) -> Bool {
    let age = now.timeIntervalSince(choice.date)
    return age >= 0 && age < goodFor.seconds
  }

  func keep(_ choice: Choice, on network: String) {
    choices.withLock { choices in
      choices[network] = choice
      while choices.count > Self.networksMax,
        let oldest = choices.min(by: { $0.value.date < $1.value.date })?.key
      {
        choices[oldest] = nil
      }
      // If the choice cannot be written, the next start probes again.
      try? JSONEncoder().encode(choices).write(to: file, options: .atomic)
    }
  }

  private static func read(_ file: URL) -> [String: Choice] {
    // A missing or invalid file contains no choices.
    guard let data = try? file.beginning(fileBytesMax + 1), data.count <= fileBytesMax,
      let read = try? JSONDecoder().decode([String: Choice].self, from: data)
    else { return [:] }
    return read
  }
}

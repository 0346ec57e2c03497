package import Foundation

/// The bodies of a cassette that can replace one another.
struct OtherBodies: Sendable {
  private struct Candidate: Sendable {
    let number: Int
    /// The path of the request without its last segment.
    let folder: Substring
    let content: Data
  }

  private let all: [Candidate]
  private let byFolder: [Substring: [Candidate]]

  /// The maximum number of neighbours, and of other recordings, that are ranked.
  private static let rankedMax = 100
  /// The maximum number of bodies that are parsed until one is JSON.
  private static let parsedMax = 8

  /// Finds the candidates among the recordings.
  init(_ interactions: [Interaction]) {
    all = interactions.enumerated().compactMap { index, interaction in
      guard case .response(let response) = interaction.result, 200..<300 ~= response.status,
        !Response.hasNoContent(method: interaction.request.method, status: response.status),
        let content = response.content, !content.isEmpty
      else { return nil }
      return Candidate(number: index + 1, folder: Self.folder(interaction), content: content)
    }
    byFolder = Dictionary(grouping: all, by: \.folder)
  }

  private static func folder(_ interaction: Interaction) -> Substring {
    let path = interaction.request.url.path
    return path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
  }

  /// Returns the number of the recording whose JSON body is nearest to another.
  ///
  /// A body is nearer if its path is a neighbour, then if it has the same kind of value, then if
  /// its length is similar.
  func nearest(to content: Data, of interaction: Interaction) -> Int? {
    let folder = Self.folder(interaction)
    let near = (byFolder[folder] ?? []).prefix(Self.rankedMax)
    let ranked = (near + all.prefix(Self.rankedMax)).filter { $0.content != content }
      .map { other in
        let isSameKind = other.content.first == content.first
        let distance = abs(other.content.count - content.count)
        return (other, (other.folder == folder ? 0 : 1, isSameKind ? 0 : 1, distance))
      }
    return ranked.stablySorted { $0.1 < $1.1 }.prefix(Self.parsedMax)
      .first { JSONText(Bytes($0.0.content), mayBeScalar: true) != nil }?.0.number
  }
}

extension Response {
  /// The body without its coding; `nil` if it cannot be decoded.
  package var content: Data? {
    let coding = headers.values("Content-Encoding").joined(separator: ", ")
    return Inflate.open(body.data, coding: coding)
  }
}

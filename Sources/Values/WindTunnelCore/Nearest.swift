/// Returns the candidate with the smallest edit distance to a word; `nil` if the distance is too
/// large for a typing error.
package func nearest(to word: String, in candidates: [String]) -> String? {
  let best = candidates.map {
    (name: $0, distance: editDistance(word.lowercased(), $0.lowercased()))
  }
  .min { $0.distance < $1.distance }
  guard let best, best.distance <= max(2, word.count / 3) else { return nil }
  return best.name
}

/// Returns the Levenshtein distance between two words.
private func editDistance(_ left: String, _ right: String) -> Int {
  let right = Array(right)
  var row = Array(0...right.count)
  for (line, character) in left.enumerated() {
    var diagonal = row[0]
    row[0] = line + 1
    for column in right.indices {
      let substituted = diagonal + (right[column] == character ? 0 : 1)
      diagonal = row[column + 1]
      row[column + 1] = min(substituted, row[column] + 1, diagonal + 1)
    }
  }
  return row[right.count]
}

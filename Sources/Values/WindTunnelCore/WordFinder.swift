/// A search for many words in one pass over a text, in linear time for any words and text.
///
/// It uses the automaton of Aho and Corasick (Communications of the ACM 18, 1975). It reads words
/// and text from their ends, so it finds the places at which words begin.
package struct WordFinder {
  /// A word that begins at an index; if there are several, the longest one.
  package struct Hit {
    package var place: Int
    package var word: Int
  }

  // Most words differ from all others after a few letters, so most nodes have one child: the next
  // node.
  private struct Node {
    var byte: UInt8
    /// Whether the previous node is the parent.
    var follows: Bool
    /// Whether it has children other than the next node.
    var branches = false
    /// The node of the longest suffix of its path that is also the path of a node.
    var fallback: Int32 = none
    /// The longest word that begins here.
    var word: Int32 = none
  }

  private static let none: Int32 = -1

  private var nodes = [Node(byte: 0, follows: false, fallback: 0)]
  /// The children of the root, which has many and is used most.
  private var beginnings = [Int32](repeating: none, count: 256)
  /// The children that do not follow their parents, by parent and byte.
  private var branches: [Int: Int32] = [:]
  /// The longest other word with which each word begins.
  private var shorter: [Int32]

  package init(_ words: [Bytes]) {
    shorter = [Int32](repeating: Self.none, count: words.count)
    nodes.reserveCapacity(words.reduce(1) { $0 + $1.count })
    for (index, word) in words.enumerated() {
      var node: Int32 = 0
      for byte in word.reversed() { node = child(of: node, byte) ?? add(byte, to: node) }
      nodes[Int(node)].word = Int32(index)
    }
    link(words)
  }

  /// Returns the longest other word with which a word begins; `nil` if there is none.
  package func shorter(than word: Int) -> Int? {
    let word = shorter[word]
    return word == Self.none ? nil : Int(word)
  }

  /// Returns the words that begin in a text, from its end to `start`.
  package func hits(in text: Bytes, from start: Int) -> [Hit] {
    var hits: [Hit] = []
    var node: Int32 = 0
    for place in (start..<text.count).reversed() {
      node = next(node, text[place])
      let word = nodes[Int(node)].word
      if word != Self.none { hits.append(Hit(place: place, word: Int(word))) }
    }
    return hits
  }

  private func child(of node: Int32, _ byte: UInt8) -> Int32? {
    if node == 0 {
      let child = beginnings[Int(byte)]
      return child == Self.none ? nil : child
    }
    Work.read(1)
    let next = Int(node) + 1
    if next < nodes.count, nodes[next].byte == byte, nodes[next].follows { return Int32(next) }
    return nodes[Int(node)].branches ? branches[Int(node) << 8 | Int(byte)] : nil
  }

  private mutating func add(_ byte: UInt8, to node: Int32) -> Int32 {
    let new = Int32(nodes.count)
    nodes.append(Node(byte: byte, follows: new == node + 1))
    if node == 0 {
      beginnings[Int(byte)] = new
    } else if new > node + 1 {
      nodes[Int(node)].branches = true
      branches[Int(node) << 8 | Int(byte)] = new
    }
    return new
  }

  private func next(_ node: Int32, _ byte: UInt8) -> Int32 {
    var node = node
    while true {
      Work.read(1)
      if let child = child(of: node, byte) { return child }
      if node == 0 { return 0 }
      node = nodes[Int(node)].fallback
    }
  }

  /// Sets the fallbacks, of short paths first, because the fallbacks of long paths depend on them.
  private mutating func link(_ words: [Bytes]) {
    var (ways, depth) = (words.indices.map { (word: $0, node: Int32(0)) }, 0)
    while !ways.isEmpty {
      depth += 1
      ways = ways.compactMap { word, node in
        let rest = words[word].count - depth
        guard rest >= 0, let child = child(of: node, words[word][rest]) else { return nil }
        if nodes[Int(child)].fallback == Self.none { link(child, of: node) }
        return (word, child)
      }
    }
  }

  private mutating func link(_ child: Int32, of node: Int32) {
    let fallback = node == 0 ? 0 : next(nodes[Int(node)].fallback, nodes[Int(child)].byte)
    nodes[Int(child)].fallback = fallback
    let other = nodes[Int(fallback)].word
    if nodes[Int(child)].word == Self.none {
      nodes[Int(child)].word = other
    } else {
      shorter[Int(nodes[Int(child)].word)] = other
    }
  }
}

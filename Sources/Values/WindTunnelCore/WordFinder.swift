/// A search for many words in one pass over a text, in linear time whatever the words and the text
/// are: the automaton of Aho and Corasick (Communications of the ACM 18, 1975).
///
/// It reads words and text from their ends, since a word that ends there in a text read backwards
/// is one that begins there.
package struct WordFinder {
  /// A word that begins at a place; of several the longest.
  package struct Hit {
    package var place: Int
    package var word: Int
  }

  // Most words part from all others after a few letters, so most nodes have one child: the next.
  private struct Node {
    var byte: UInt8
    /// Whether the previous node is its parent.
    var follows: Bool
    /// Whether it has children beside the next node.
    var branches = false
    /// The node of the longest end of the way to this one that another way leads to.
    var fallback: Int32 = none
    /// The longest word that begins here.
    var word: Int32 = none
  }

  private static let none: Int32 = -1

  private var nodes = [Node(byte: 0, follows: false, fallback: 0)]
  /// The root has many children, and is asked most.
  private var beginnings = [Int32](repeating: none, count: 256)
  /// The children that do not follow their parents, by parent and byte.
  private var branches: [Int: Int32] = [:]
  /// For each word the longest other one that it begins with.
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

  /// Returns the longest word that another one begins with; `nil` if there is none.
  package func shorter(than word: Int) -> Int? {
    let word = shorter[word]
    return word == Self.none ? nil : Int(word)
  }

  /// Returns the places where words begin in a text, from its end to `start`.
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

  /// Finds the fallbacks, those of short ways first, since those of long ones lead over them.
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

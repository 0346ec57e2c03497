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

  private struct Node {
    var byte: UInt8
    var child: Int32 = none
    var sibling: Int32
    /// The node of the longest end of what led here that another way leads to.
    var fallback: Int32 = 0
    /// The longest word that begins here.
    var word: Int32 = none
  }

  private static let none: Int32 = -1

  private var nodes = [Node(byte: 0, sibling: none)]
  /// The root has many children, and is asked most.
  private var beginnings = [Int32](repeating: none, count: 256)
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
    link()
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
    var child = nodes[Int(node)].child
    while child != Self.none, nodes[Int(child)].byte != byte {
      Work.read(1)
      child = nodes[Int(child)].sibling
    }
    return child == Self.none ? nil : child
  }

  private mutating func add(_ byte: UInt8, to node: Int32) -> Int32 {
    let new = Int32(nodes.count)
    nodes.append(Node(byte: byte, sibling: nodes[Int(node)].child))
    nodes[Int(node)].child = new
    if node == 0 { beginnings[Int(byte)] = new }
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
  private mutating func link() {
    var waiting: [Int32] = [0]
    var done = 0
    while done < waiting.count {
      let node = waiting[done]
      done += 1
      var child = nodes[Int(node)].child
      while child != Self.none {
        let fallback = node == 0 ? 0 : next(nodes[Int(node)].fallback, nodes[Int(child)].byte)
        nodes[Int(child)].fallback = fallback
        let other = nodes[Int(fallback)].word
        if nodes[Int(child)].word == Self.none {
          nodes[Int(child)].word = other
        } else {
          shorter[Int(nodes[Int(child)].word)] = other
        }
        waiting.append(child)
        child = nodes[Int(child)].sibling
      }
    }
  }
}

#if !canImport(Darwin)
  internal import WindTunnel

  /// A stored property of an object of another module, found by its label.
  ///
  /// To look at all properties costs a fourth of a replayed request. So where one stands in its
  /// class, which does not change while a process runs, is found once.
  struct StoredProperty {
    let value: Any

    /// How many classes up, and the how-manieth there.
    private struct Place {
      var depth: Int
      var offset: Int
    }

    private struct Name: Hashable {
      var type: ObjectIdentifier
      var label: String
    }

    private static let places = Locked<[Name: Place?]>([:])

    /// `nil` where the object has no such property.
    init?(_ label: String, of object: AnyObject) {
      let name = Name(type: ObjectIdentifier(type(of: object)), label: label)
      let known = Self.places.withLock { $0[name] }
      let place = known ?? Self.place(of: label, in: object)
      if known == nil { Self.places.withLock { $0[name] = .some(place) } }
      guard let place else { return nil }
      var mirror = Mirror(reflecting: object)
      for _ in 0..<place.depth { mirror = mirror.superclassMirror ?? mirror }
      let children = mirror.children
      value = children[children.index(children.startIndex, offsetBy: place.offset)].value
    }

    private static func place(of label: String, in object: AnyObject) -> Place? {
      var mirror: Mirror? = Mirror(reflecting: object)
      var depth = 0
      while let current = mirror {
        for (offset, child) in current.children.enumerated() where child.label == label {
          return Place(depth: depth, offset: offset)
        }
        mirror = current.superclassMirror
        depth += 1
      }
      return nil
    }
  }
#endif

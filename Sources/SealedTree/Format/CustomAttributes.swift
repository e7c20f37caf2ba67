import VaultModel

/// The encoding of custom attributes, sorted by the bytes of their names so that equal ones have
/// equal bytes.
enum CustomAttributes {
  static func encode(_ attributes: [String: String]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(128)
    let sorted = attributes.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    for (name, value) in sorted {
      bytes.append(counted: name)
      bytes.append(counted: value)
    }
    return bytes
  }

  static func decode(_ bytes: [UInt8], _ range: Range<Int>) throws(VaultError) -> [String: String] {
    var attributes: [String: String] = [:]
    var position = range.lowerBound
    func next() throws(VaultError) -> String {
      let count = Int(try bytes.varint(at: &position, end: range.upperBound))
      guard count <= range.upperBound - position else {
        throw FieldReader.damaged("a custom attribute is cut off")
      }
      position += count
      return try bytes.text(in: position - count..<position)
    }
    var last = ""
    while position < range.upperBound {
      let name = try next()
      // Names are compared as Swift strings: a second spelling of one name would be lost.
      guard last.utf8.lexicographicallyPrecedes(name.utf8), attributes[name] == nil else {
        throw FieldReader.damaged("custom attributes are out of order")
      }
      attributes[name] = try next()
      last = name
    }
    return attributes
  }
}

# SPDX-License-Identifier: Apache-2.0

# Says what its operations are given: keys, number, weight. Those of "plain" know no weight.
require_relative "../../../../examples/wire/lockkeeper_wire"

LockkeeperWire.serve do |keys, lost|
  next {acquire: -> { true }, release: -> { true }} if keys == "plain"
  told = ->(*given) { raise [Array(keys).join("+"), *given].join(" ") }
  {
    acquire: ->(number, weight:) { told.call(number, weight) },
    release: ->(weight: 1) { told.call(weight) },
    look: -> { told.call },
    watch: -> {
      lost.call
      told.call
    }
  }
end

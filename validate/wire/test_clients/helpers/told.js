// SPDX-License-Identifier: Apache-2.0

// Says what its operations are given: keys, number, weight. Those of "plain" know no weight.
'use strict';

const {serve} = require('../../../../examples/wire/lockkeeper_wire');

serve((keys, lost) => {
  if (keys === 'plain') return {acquire: () => true, release: () => true};
  const told = (...given) => {
    throw new Error([[keys].flat().join('+'), ...given].join(' '));
  };
  const watch = () => {
    lost();
    told();
  };
  return {acquire: (number, weight = 1) => told(number, weight), release: (_, weight = 1) => told(weight), look: () => told(), watch};
});

// SPDX-License-Identifier: Apache-2.0
#include "measure/distributions.hpp"

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace lockkeeper {

double beta_quantile(double a, double b, double share) {
    return boost::math::quantile(boost::math::beta_distribution<>(a, b), share);
}

double beta_upper_quantile(double a, double b, double share) {
    return boost::math::quantile(
        boost::math::complement(boost::math::beta_distribution<>(a, b), share));
}

double beta_share_below(double a, double b, double bound) {
    return boost::math::ibeta(a, b, bound);
}

double beta_share_above(double a, double b, double bound) {
    return boost::math::ibetac(a, b, bound);
}

double student_upper_quantile(double degrees_of_freedom, double share) {
    return boost::math::quantile(
        boost::math::complement(boost::math::students_t_distribution<>(degrees_of_freedom), share));
}

}  // namespace lockkeeper

# SPDX-License-Identifier: Apache-2.0

# Two stages: the first builds the package from this tree, the second has the command and what it
# loads, no compiler and no server.
#   docker build -t lockkeeper .
#   docker run --rm -v "$PWD:/locks" lockkeeper run /locks/scenarios
FROM debian:12 AS build
WORKDIR /lockkeeper
COPY tools/setup.sh tools/packages.txt tools/
RUN tools/setup.sh package
COPY . .
RUN make package

FROM debian:12-slim
COPY --from=build /lockkeeper/build/release/lockkeeper_*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/lockkeeper_*.deb \
    && rm -rf /tmp/lockkeeper_*.deb /var/lib/apt/lists/*
WORKDIR /locks
ENTRYPOINT ["lockkeeper"]
CMD ["--help"]

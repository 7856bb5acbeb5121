// libFuzzer's target: any bytes make a model, which is refused with a ModelError or runs to an end
// with numbers that make sense.
#include "check_results.hpp"
#include "random_model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    using namespace planecast::sim;
    Bytes bytes(data, size);
    Model model = random_model(bytes);
    try {
        check_results(simulate(model));
    } catch (const ModelError &) { // refused: fine
    }
    return 0;
}
